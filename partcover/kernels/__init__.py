"""Compiled kernels: contiguous arrays in, contiguous arrays out; nothing of partcover imported."""
