"""What HTCondor 25.14.1 has built in, as recorded: parameters, meanings, attributes, templates;
never knows what is done with it.
"""
