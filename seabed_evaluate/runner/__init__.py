"""Configs x model -> result files: plan, tasks, scoring, protocols."""
