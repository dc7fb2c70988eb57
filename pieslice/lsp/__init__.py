"""The language server: shows in editors what `policy.editing` and checks say; never decides."""
