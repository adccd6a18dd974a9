"""Figures as Plotly's data and layout: plain values, on no background, for light and dark pages."""
