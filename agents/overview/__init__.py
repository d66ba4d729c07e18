"""What memory knows of one thing: a commit, a pull request, a ticket, a file, a test …"""
