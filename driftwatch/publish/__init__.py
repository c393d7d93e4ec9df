"""Telling people where they work: comments, pull requests and issues on GitHub. Knows texts and files, not what they mean.

Every verb here may be called again with the same arguments: the second call changes nothing.
"""
