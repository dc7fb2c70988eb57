"""The arithmetic of groups' quotas, step by step; never knows a job."""
