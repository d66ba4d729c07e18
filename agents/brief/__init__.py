"""The morning brief: what is so, chosen and put into a screen of lines."""
