"""Figures of `plotly.graph_objects`, on no background, for light and dark pages."""
