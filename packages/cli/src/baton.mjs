#!/usr/bin/env node
// Plain JavaScript: an old Node gets a sentence here instead of a stack trace from main.ts, which it cannot read.
import { isRightNode } from './right-node.mjs';

if (isRightNode()) await import('./main.ts');
