// What the web app promises (its first slice), by the ids that tests cite.
export const webRequirements = {
  'web.setup':
    'A person signs in with the generated administrator and is led through first-time setup (new e-mail and password).',
  'web.sign-in.wrong': 'A wrong e-mail or password is said plainly.',
  'web.sign-in.locked': 'A lock after too many failures is said with the time that is left.',
  'web.sign-in.unreachable': 'A service that does not answer is said to be unreachable.',
  'web.sign-in.next':
    'After signing in the app shows the address that was asked for, and never another site.',
  'web.session-lost': 'A 401 anywhere leads to the sign-in screen.',
  'web.register': 'Where registration is open, a person makes an account and starts with it.',
  'web.account': 'The account menu changes the password and the e-mail address, and signs out.',
  'web.stream': 'An answer streams in; tool calls show their name, arguments, state and result.',
  'web.url': 'A chat has its id in the address and its title in the list.',
  'web.csp': "The app works under the service's Content-Security-Policy.",
  'web.reload': 'A reload in mid-stream loses nothing and shows the running answer.',
  'web.other-tab': 'A running answer is shown in a tab that did not ask for it.',
  'web.stop': 'The stop button ends a run and keeps what was written.',
  'web.one-stream': 'A tab listens to at most one run: leaving a chat ends the listening, not the run.',
  'web.restart': 'When the service is killed in mid-run and started again, the page goes on by itself.',
  'web.reopen': 'After a restart of the service a chat opens again with everything.',
  'web.messages': 'The messages of a thread are shown as turns; unknown shapes are left out.',
  'web.question':
    'A question of ask_clarification shows its options as buttons; the answer is a next message.',
  'web.approve':
    'A tool that needs permission is shown with its real arguments; it runs when the person allows it.',
  'web.approve.edit': 'The arguments of a tool call can be changed before it runs.',
  'web.approve.refuse': 'A refused tool call does not run, and the agent reads the reason.',
  'web.approve.all':
    'Several actions are decided one by one or at once, and answered together, in their order.',
  'web.approve.keyboard': 'Permissions are given by keyboard alone; a form gives its focus back.',
  'web.approve.reload':
    'A question that is open is asked again after a reload and in every tab, until one of them answers.',
  'web.approve.restart': 'A question that is open survives the death of the service.',
  'web.approve.message': 'A new message may be sent instead of an answer.',
  'web.ask': 'A question of another form is shown as it is, and answered in words.',
  'web.pause': 'A run that was told to stop on its way goes on at the press of a button.',
  'web.subagents': 'A sub-agent shows its task, what it did last and how many steps, also after a reload.',
  'web.subagents.steps':
    'The steps of a sub-agent are read when they are opened, while it works and long after.',
  'web.subagents.approval':
    'A sub-agent that needs permission is named by its task; several are answered one after another.',
  'web.subagents.quiet': 'What a sub-agent does is rendered by its own card only.',
  'web.regenerate': 'The last answer can be written anew; the earlier one is kept as another version.',
  'web.edit':
    'An earlier message can be said in other words; what was said before is kept as another version.',
  'web.versions': 'Versions of a message are counted and can be shown again, also after a reload.',
  'web.copy': 'A chat can be copied; the copy is a chat of its own.',
  'web.reasoning': 'Reasoning is folded until it is opened.',
  'web.summary':
    'A line shows how far the agent reads a summary instead of messages; the summary can be read.',
  'web.thinking': 'Model and thinking are sent with the run.',
  'web.markdown': 'Answers are rendered as Markdown, code with colours and a copy button.',
  'web.markdown.safe': 'No script of an answer runs and no image of it is loaded from elsewhere.',
  'web.error': "A failed run shows the run's sentence, also after a reload, and can be tried again.",
  'web.threads': 'Chats can be searched by title, renamed, and deleted after a confirmation.',
  'web.composer': 'Enter sends, Shift+Enter starts a new line, the box grows with the text.',
  'web.draft': 'A text that was not sent is kept over a reload.',
  'web.scroll': 'The view follows the answer unless the reader scrolled away, and offers the way back.',
  'web.phone': 'The app works at a width of 360 pixels.',
  'web.dark': 'There is a dark and a light theme: as the system says, or as chosen and remembered.',
  'web.keyboard': 'Everything is reachable by keyboard, with a visible focus.',
  'web.motion': 'Reduced motion is respected.',
  'web.axe': 'axe finds no violation on any screen, in both themes.',
} as const;
