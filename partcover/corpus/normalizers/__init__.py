"""What is done to text before it becomes words."""
