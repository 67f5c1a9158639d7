"""Configures the documentation site; ``make docs`` builds it into docs/_build/html."""

from __future__ import annotations

import gc
import sys
from importlib.metadata import metadata
from pathlib import Path

import partcover

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
# in a virtual environment the finder of an editable install is there twice, and the second looks at
# the whole build for each name that is not a module: Sphinx tries thousands
_finders = [f for f in sys.meta_path if type(f).__module__ == "_partcover_editable_loader"]
for _finder in _finders[1:]:
    sys.meta_path.remove(_finder)

# a build keeps millions of objects: looking for garbage less often saves a tenth of the time
gc.set_threshold(200_000, 50, 50)

project = "partcover"
author = copyright = "The partcover authors"  # noqa: A001
version = release = partcover.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_nb",  # pages in Markdown, tutorials executed
    "sphinx_copybutton",
    "sphinx_design",  # cards and grids
    "sphinx_gallery.gen_gallery",
    "dark_pictures",  # of SVG pictures, on dark pages
    "command_pages",  # the pages of the commands
    "report_page",  # an example of a report
    "shell_cells",  # cells of tutorials that are commands
]
exclude_patterns = ["_build", "_ext", "gallery", "generated/gallery/*.[!r]*"]

# links of pages and of the code's roles are whole; docstrings name types in words
# an attribute such as `words` is a property of several classes: no link is made
suppress_warnings = ["ref.python"]
nitpicky = True
nitpick_ignore_regex = [(r"py:(class|exc|obj)", r".*")]

# pages
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
copybutton_exclude = ".linenos, .gp, .go"

# the reference of the API; types stand in the docstrings
templates_path = ["_templates"]
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
maximum_signature_line_length = 72
default_role = "py:obj"  # `name` in a docstring is a link where the name has a page
smartquotes_action = "qDe"  # -- is a short dash
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# the gallery: each script of docs/gallery draws a picture
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("gallery_figures.take_figures",),
    "reset_modules": ("gallery_figures.set_style",),
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
    "download_all_examples": False,
    "doc_module": ("partcover",),
    "backreferences_dir": "generated/backreferences",  # pictures on the pages of functions
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 10**6,
    "abort_on_example_error": True,
}

# looks
html_theme = "pydata_sphinx_theme"
html_title = "partcover"
html_logo = html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_extra_path = ["extra"]  # pages of their own
html_css_files = ["site.css"]
html_sidebars = {page: [] for page in ("index", "install")}  # which stand alone
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": True,
    "show_toc_level": 2,
    "logo": {"text": "partcover"},
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-light",
    "pygments_dark_style": "a11y-dark",
}
for line in metadata("partcover").get_all("Project-URL") or ():
    label, _, url = line.partition(", ")
    if label == "Documentation":
        html_baseurl = url
    if label in ("Source", "Repository"):
        html_theme_options["icon_links"] = [
            {"name": label, "url": url, "icon": "fa-solid fa-code-branch"}
        ]
