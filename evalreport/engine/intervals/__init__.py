"""Tables to intervals, by the planned method."""
