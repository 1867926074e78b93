"""The measuring child: sends prepared requests, stamps every read, decodes later. `python -m core.loadgen`."""
