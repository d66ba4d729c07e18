"""Several judges on one packet of evidence, and one verdict that says why they split."""
