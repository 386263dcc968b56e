"""Studies as designs: study file, drafts, versions, pairs, launch and checklist."""
