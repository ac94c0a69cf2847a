// Agents that people define, by the ids that tests cite.
export const agentsRequirements = {
  'agents.crud':
    'A person makes, reads, changes and deletes agents with description, model, tool groups, skills and soul.',
  'agents.names':
    'Names have lower-case letters, digits and single hyphens, 64 characters at most; that of the lead agent is reserved; a name that is used is a 409.',
  'agents.limits':
    'Texts, lists and the number of agents are limited; unknown models and tool groups are 422 and name those that there are.',
  'agents.versions':
    'Each change is a version that stays readable; sending what is there already makes none.',
  'agents.share':
    'An administrator shares an agent: others read, use and export it, and cannot change it; the audit log has it.',
  'agents.file': 'An agent leaves as one JSON file and comes back under its own or another name.',
  'agents.runs': 'A run names an agent as its assistant_id, under both prefixes.',
  'agents.soul':
    'The soul stands in the system prompt behind the rules, and can neither end its place nor stand for another part.',
  'agents.restricts':
    'Model, tool groups and skills of an agent are what its runs get, sub-agents and plan mode included.',
  'agents.absent': 'An unknown agent is a 404, a deleted one with a sentence; its threads stay readable.',
  'agents.pinned':
    'A run keeps the version of the agent that it started with, whatever becomes of the agent.',
  'agents.free': 'A run of the lead agent asks the database nothing about agents.',
} as const;
