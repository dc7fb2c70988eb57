"""What an editor asks of a configuration while it is written; never knows a protocol or a file."""
