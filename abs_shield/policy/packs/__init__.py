"""Rules that many policies declare, to import and to map on one's own tools and parameters."""
