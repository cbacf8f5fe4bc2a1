"""The charts of reports and of users: each a function that draws on matplotlib Axes given to it."""
