#!/usr/bin/env python3
"""Makes kernel-plain.json from the oracle: extract.py < shared/oracle/manifest.json > kernel-plain.json"""
import json
import sys

KEEP = ('name', 'table', 'sectors', 'offset', 'image_sha256', 'first32', 'kernel_table', 'kernel_table_showkeys')
REFUSED = ('name', 'table', 'kernel_log')

manifest = json.load(sys.stdin)
json.dump(
    {
        'kernel': manifest['kernel'],
        'plain': [{key: case[key] for key in KEEP} for case in manifest['plain']],
        'refused': [{key: case[key] for key in REFUSED} for case in manifest['plain_rejected']],
    },
    sys.stdout,
    indent=1,
)
print()
