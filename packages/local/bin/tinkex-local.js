#!/usr/bin/env node
// Stands in the repository, so that package managers can link it before the build.
import "../dist/command/main.js";
