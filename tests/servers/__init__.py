"""Servers that speak a real wire protocol over a real socket, well and badly."""
