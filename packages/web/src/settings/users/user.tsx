import type { Role, UserPatch, UserRecord } from '@baton/client';
import { attempt } from '../../data/attempt.ts';
import { useDaemon } from '../../data/daemon.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale } from '../../data/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { SelectField } from '../../design/field.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { Row } from '../../design/rows.tsx';
import { timeAgo } from '../../text/time.ts';
import { ROLE_OPTIONS } from './role-options.ts';

type Props = {
  user: UserRecord;
  mayChange: boolean;
  onLink: (user: UserRecord, secret: string) => void;
};

/** One user, with the actions of an owner. */
export function User({ user, mayChange, onLink }: Props) {
  const { me } = useDaemon();
  const now = useNow();
  return (
    <Row
      title={<span dir="auto">{user.name}</span>}
      badges={
        <>
          {user.user_id === me.user_id && <Badge tone="accent">you</Badge>}
          {user.disabled && <Badge tone="warn">disabled</Badge>}
        </>
      }
      facts={[
        !mayChange && user.role,
        user.has_password ? 'has a password' : 'signs in with one-time links',
        `added ${timeAgo(user.created_at, now)}`,
      ]}
      actions={mayChange && <UserMenu user={user} onLink={onLink} />}
    />
  );
}

function UserMenu({ user, onLink }: Omit<Props, 'mayChange'>) {
  const { client } = useDaemon();
  const change = (changes: UserPatch) =>
    attempt(async () => {
      await client.users.patch(user.user_id, changes);
      makeStale('users');
    });
  const newLink = () =>
    attempt(async () => onLink(user, (await client.users.createLink(user.user_id)).link_secret));
  return (
    <>
      <SelectField
        label={`Role of ${user.name}`}
        hideLabel
        value={user.role}
        options={ROLE_OPTIONS}
        onChange={(event) => change({ role: event.target.value as Role })}
      />
      <Menu
        label={`Actions for ${user.name}`}
        button={<IconButton label={`Actions for ${user.name}`} icon="more" />}
      >
        <MenuItem icon="link" disabled={user.disabled} onSelect={newLink}>
          New sign-in link
        </MenuItem>
        {user.disabled ? (
          <MenuItem icon="check" onSelect={() => change({ disabled: false })}>
            Re-enable
          </MenuItem>
        ) : (
          <MenuItem icon="stop" danger onSelect={() => change({ disabled: true })}>
            Disable
          </MenuItem>
        )}
      </Menu>
    </>
  );
}
