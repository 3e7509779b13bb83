#!/usr/bin/env node
import { start } from './start.ts';

start(() => import('./cli.ts'));
