"""Studies as designs: study file, drafts, versions, launch and checklist. They name no task."""
