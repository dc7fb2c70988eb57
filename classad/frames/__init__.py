"""Exchanges ads with Arrow, pandas, Polars and DuckDB, and shows tables; never evaluates or matches
by itself.
"""
