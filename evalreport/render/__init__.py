"""How a report looks: the pages drawn from the report value."""
