"""What identifies a task."""
