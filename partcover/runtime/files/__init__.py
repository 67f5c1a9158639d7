"""Files: written aside, locked, recognised."""
