"""The commands on configurations and policies: config, map, check, policy."""
