"""The package that storms, the chaos test, the demo, mutants and benchmarks share. Scripts/check-python.sh checks its types.

A script finds it in its own folder, where Python looks first: a link leads here from each folder of scripts. Files that
are copied into apps or into the virtual machine do not use it.
"""
