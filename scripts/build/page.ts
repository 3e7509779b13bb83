import { ensurePage } from './build-page.ts';

await ensurePage();
