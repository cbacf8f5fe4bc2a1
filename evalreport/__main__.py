"""``python -m evalreport``."""

from evalreport.cli import main

main()
