"""What is told of the rows themselves: what they are like, what is left out, what they share."""
