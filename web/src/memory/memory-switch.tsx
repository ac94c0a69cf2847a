// Whether agents remember anything about the person, and if not, why.
import type { MemoryConfig } from '../api/memory-calls.ts';
import { Switch } from '../ui/check-box.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSwitchMemory } from './memory-queries.ts';

export function MemorySwitch({ config }: { readonly config: MemoryConfig }) {
  const { mutate, error, isPending } = useSwitchMemory();
  return (
    <section
      aria-label="Use of memory"
      className="grid gap-3 rounded-xl border border-border bg-surface py-3 pr-2 pl-4"
    >
      <div className="flex items-center gap-2">
        <div className="grid min-w-0 flex-1 gap-0.5">
          <h2 className="text-sm font-medium">Remember me</h2>
          <p className="text-[0.8125rem] leading-snug text-muted-foreground">{stateText(config)}</p>
        </div>
        <Switch
          label="Remember me"
          isOn={config.enabled && config.user_enabled}
          disabled={!config.enabled || isPending}
          onChange={(isOn) => mutate(isOn)}
        />
      </div>
      {error !== null && <Notice tone="danger">{error.message}</Notice>}
    </section>
  );
}

function stateText({ enabled, user_enabled, extraction_enabled }: MemoryConfig): string {
  if (!enabled)
    return 'Memory is off on this service. An administrator switches it on in the configuration (memory.enabled).';
  if (!user_enabled)
    return 'Agents do not read these facts and learn nothing new. The facts stay until you delete them.';
  return extraction_enabled
    ? 'Agents read the relevant facts before they answer, and learn new ones from your chats.'
    : 'Agents read the relevant facts before they answer. They learn nothing on their own: add what they should know.';
}
