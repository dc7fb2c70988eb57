"""The commands on configurations and policies; never interprets a macro itself."""
