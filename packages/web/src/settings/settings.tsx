import { useParams } from 'wouter';
import { Empty } from '../design/empty.tsx';
import { PageFrame } from '../design/page-frame.tsx';
import { SubNav } from '../design/sub-nav.tsx';
import { useTitle } from '../shell/attention.ts';
import { Account } from './account/account.tsx';
import { Archive } from './archive/archive.tsx';
import { General } from './general/general.tsx';
import { Rules } from './rules/rules.tsx';
import { Tokens } from './tokens/tokens.tsx';
import { TrustedFolders } from './trusted-folders/trusted-folders.tsx';
import { Users } from './users/users.tsx';

const PARTS = [
  { path: '/settings', label: 'General', Part: General },
  { path: '/settings/account', label: 'Account', Part: Account },
  { path: '/settings/users', label: 'Users', Part: Users },
  { path: '/settings/tokens', label: 'Tokens', Part: Tokens },
  { path: '/settings/rules', label: 'Rules', Part: Rules },
  { path: '/settings/trusted-folders', label: 'Trusted folders', Part: TrustedFolders },
  { path: '/settings/archive', label: 'Archive', Part: Archive },
] as const;

/** Everything that is set once and then left alone. */
export function Settings() {
  useTitle('Settings');
  const { part } = useParams<{ part?: string }>();
  const path = part ? `/settings/${part}` : '/settings';
  const Part = PARTS.find((each) => each.path === path)?.Part;
  return (
    <PageFrame title="Settings">
      <SubNav label="Settings sections" ways={PARTS} />
      {Part ? <Part /> : <Empty icon="question" title="Settings page not found" />}
    </PageFrame>
  );
}
