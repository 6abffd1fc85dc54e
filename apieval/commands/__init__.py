"""What the commands of the command line do, each file one command."""
