"""Asks a table of ads that lies in parts: Parquet files, partitions of a Dask dataframe, tables in
memory; one part at a time, or on the workers of a cluster.
"""
