"""Asks a table of ads that lies in parts (Parquet files, partitions of a Dask dataframe, tables in
memory), here or on the workers of a cluster; never decides what matches.
"""
