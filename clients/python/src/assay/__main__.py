import sys

from assay.command_line import main

sys.exit(main())
