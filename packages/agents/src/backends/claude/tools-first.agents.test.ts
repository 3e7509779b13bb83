import { describeToolsFirst } from '../../testing/tools-first.ts';

describeToolsFirst('claude');
