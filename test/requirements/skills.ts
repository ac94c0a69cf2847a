// Requirements of skills (docs/contract/skills.md), by the ids that tests cite.
export const skillRequirements = {
  'skills.list':
    'A person sees their own and the public skills with all fields of the contract; an own skill hides a public one of the same name.',
  'skills.detail':
    'A skill is returned with its allowed tools, instructions and files; any other name is 404.',
  'skills.switch':
    'A person switches skills on and off for themselves, an administrator public ones for everybody; a skill disabled for everybody stays disabled.',
  'skills.fresh': 'The next question uses changes on disk, whoever made them, without a restart.',
  'skills.malformed': 'An invalid SKILL.md is omitted with a log line, and the other skills are listed.',
  'skills.unreadable':
    'A file that is temporarily unreadable does not count as absent: nothing is omitted or overwritten.',
  'skills.cheap': 'If nothing has changed, listing the enabled skills takes less than a millisecond.',
  'skills.install':
    'A `.skill` package becomes a custom skill of its sender, with the installer, the time, the file name and its hash.',
  'skills.install.places':
    'At most one package per person and eight in total are received at a time; further senders wait before any byte is stored.',
  'skills.install.unsafe':
    'A package with an unsafe entry is refused as a whole, and nothing of it is written.',
  'skills.install.bomb':
    'A package may have 2,000 entries and unpack to a hundred times its size, at most 100 MB, counted in unpacked bytes.',
  'skills.install.exists': 'A name that the person already has is a 409, and the skill does not change.',
  'skills.scan':
    'A scan finds downloads that are executed, encoded payloads, secrets, phrases of prompt injection and binaries; critical findings are refused until an administrator confirms them.',
  'skills.edit':
    'A person creates custom skills from a SKILL.md, changes and deletes them; public skills cannot be changed.',
  'skills.files':
    'Files of a skill can be read, and texts of a custom one written and removed, in the four folders of a skill.',
  'skills.cluster':
    'No concurrent change by several processes is lost: the later one is refused, or builds on the earlier one.',
  'skills.files.version':
    'Writing and removing a file requires the version that the client has seen; otherwise it is 412.',
  'skills.adopt':
    'Switches that an earlier release stored in a file are imported once, and the file is removed.',
  'skills.edit.refused': 'A refused change changes nothing.',
  'skills.history':
    'The history of a custom skill shows who changed what, and each change can be undone, including a deletion.',
  'skills.deleted':
    'A person can list their last twenty deleted skills, restore one with all its files, and delete one permanently.',
  'skills.manage':
    'With skill_manage the agent creates, edits, patches and deletes custom skills of its user, with checks, scans and history; it is off by default.',
};
