"""What each part of hydration is worth, and what checkpoints cost: an ablation and a curve over triggers."""
