// What the web app promises (its first slice), by the ids that tests cite.
export const webRequirements = {
  'web.agents':
    'Agents are made, changed and taken back to a version; a chat keeps its agent and its model for every device.',
  'web.memory':
    'A page shows what an agent remembers of a person, each fact with its source; facts are found, added, changed, deleted, taken back, exported and imported, and memory is switched off.',
  'web.agents.held': 'A message to a chat that was just opened waits until the agent of the chat is known.',
  'web.import.left-out':
    'After an import of an account the page says what of it could not be brought in, and why.',
  'web.fallback': 'An answer that another model than the chosen one writes says so, and why.',
  'web.run-stop': 'A run that its budget or a loop ended says why, and offers the way to go on.',
  'web.context':
    'The top of a chat tells how full the last prompt was, and what the chat took so far; asked for when a run has ended.',
  'web.schedules':
    'A page makes schedules without cron or with it, changes, pauses, runs and deletes them, and shows what became of each time, with the way to its chat.',
  'web.schedules.news':
    'Whoever schedules something is told how many schedules have run since they looked; whoever does not asks nothing.',
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
  'web.usage':
    'A page tells what one has used, by day and model, with its cost, and what is left of today; a chat that reached a budget says so.',
  'web.usage.answer':
    'Under an answer a line tells its tokens, its cost where one is known, and its models, also while it is written.',
  'web.usage.day':
    'Where the budget of a day is reached, a chat says when there is a new one and offers no other try until then.',
  'web.api-keys': 'A page makes API keys, shows each once, lists them with their last use, and revokes them.',
  'web.skills':
    'A page lists shipped and own skills, finds them by words, and switches each for oneself; administrators switch shipped ones for everyone.',
  'web.skills.install':
    'A package is installed by choosing or dropping it: what the scan found is shown, and an administrator may install it all the same.',
  'web.skills.edit':
    'A skill of one’s own is made, read and written with its files, brought back to what it was, and deleted; administrators confirm what a scan finds critical. A deleted one is restored, or deleted for good.',
  'web.skills.manage':
    'What the agent does to a skill is shown as a difference, with the way to the skill, or with why it could not.',
  'web.skills.with-servers':
    'Who installs a skill and adds a tool server by pasting its JSON sees in a chat that the agent used both.',
  'web.skills.choose':
    'A slash at the beginning of a message offers the skills that are on, by keyboard and by touch.',
  'web.tool-servers':
    'A page tells how each tool server stands, what its tools do and when they ask; administrators switch them.',
  'web.tool-servers.sign-in':
    'People sign in to a tool server that asks for it, are told how it went, and sign out.',
  'web.tool-servers.call':
    'A call of a server’s tool is shown by the server, with its arguments, how far it is, and its result.',
  'web.tool-servers.form':
    'What a tool server asks is a form of its fields, which says who asks, what does not fit and why, and is accepted, declined or cancelled.',
  'web.tool-servers.change':
    'A tool that changed is shown with the difference of its description and its arguments before it is approved.',
  'web.tool-servers.add':
    'Administrators add a tool server by a form or as JSON, test it, and remove it; what is wrong is said in words.',
  'web.sessions':
    'The account page lists where one is signed in, which one is this device, and signs out there, one by one or all others.',
  'web.password-again': 'What asks for the password once more gets it in a dialog, and goes on.',
  'web.export': 'The account page exports everything of the account as a download of the browser.',
  'web.export.thread': 'The menu of a chat exports it; the account page imports it, chosen or dropped.',
  'web.import': 'The account page imports a package and says in words what is there now.',
  'web.import.refused': 'Why a package was not imported is said in a sentence, also by servers on the way.',
  'web.import.progress': 'An import shows how far it is, goes on beside other pages, and can be called off.',
  'web.machine':
    "The account page tells administrators, and nobody else, what is missing to hold the agent's commands.",
  'web.delete-account':
    'An account is deleted after its password and its address were typed; a refusal is shown.',
  'web.account.keys': 'Whoever changes the password may revoke all API keys with it.',
  'web.tool.words': 'A call of a tool of the service is shown in words, not by its name.',
  'web.stream': 'An answer streams in; tool calls show their name, arguments, state and result.',
  'web.url': 'A chat has its id in the address and its title in the list.',
  'web.csp': "The app works under the service's Content-Security-Policy.",
  'web.reload': 'A reload in mid-stream loses nothing and shows the running answer.',
  'web.other-tab': 'A running answer is shown in a tab that did not ask for it.',
  'web.stop': 'The stop button ends a run and keeps what was written.',
  'web.end.stopped': 'A stopped answer says so, also before its first word, to eyes and to screen readers.',
  'web.end.empty': 'An answer without a word says so, and can be asked for again.',
  'web.end.failed': 'A failed answer says so to screen readers, and says why later in the chat, too.',
  'web.end.lost': 'An answer whose connection was lost is announced as complete only when it is.',
  'web.end.cut': 'An answer that reached the length limit of its model says that it is cut off.',
  'web.pause.provider':
    'While a provider asks for a pause, the answer says why and counts down, in every window.',
  'web.usage.turn': 'What a turn took is the sum of all of its runs; a question that was answered keeps it.',
  'web.models.words':
    'Models are shown by their display names and descriptions; a real model is offered no rules of the demo model.',
  'web.one-stream': 'A tab listens to at most one run: leaving a chat ends the listening, not the run.',
  'web.restart': 'When the service is killed in mid-run and started again, the page goes on by itself.',
  'web.restart.seen':
    'What was seen of an answer stays on the screen while it is written again after a crash.',
  'web.reopen': 'After a restart of the service a chat opens again with everything.',
  'web.messages': 'The messages of a thread are shown as turns; unknown shapes are left out.',
  'web.question':
    'A question of ask_clarification shows its options as buttons; the answer is a next message.',
  'web.forms': 'What is missing or wrong in a form is said below its field, in the words of the app.',
  'web.approve':
    'A tool that needs permission is shown with its real arguments; it runs when the person allows it.',
  'web.approve.diff':
    'A text that takes the place of another one is shown as the difference, before it is allowed.',
  'web.approve.edit': 'The arguments of a tool call can be changed before it runs.',
  'web.approve.always':
    'A tool can be allowed for the rest of a chat, in this browser: the page shows it, answers for the person, and asks again when that is taken back.',
  'web.approve.refuse': 'A refused tool call does not run, and the agent reads the reason.',
  'web.approve.all':
    'Several actions are decided one by one or at once, and answered together, in their order.',
  'web.approve.keyboard': 'Permissions are given by keyboard alone; a form gives its focus back.',
  'web.approve.reload':
    'A question that is open is asked again after a reload and in every tab, until one of them answers.',
  'web.approve.restart': 'A question that is open survives the death of the service.',
  'web.approve.message':
    'A new message may be sent instead of an answer, and the page says before what that does; what was asked about is not done, and marked so. So with one that was queued before.',
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
  'web.versions.focus':
    'The focus comes back to the versions that were pressed, unless the person has gone on meanwhile.',
  'web.copy': 'A chat can be copied; the copy is a chat of its own.',
  'web.reasoning': 'Reasoning is folded until it is opened.',
  'web.summary':
    'A line shows how far the agent reads a summary instead of messages; the summary can be read.',
  'web.thinking': 'Model and thinking are sent with the run.',
  'web.markdown': 'Answers are rendered as Markdown, code with colours and a copy button.',
  'web.markdown.exact':
    'A complete answer is shown exactly as it was written: signs that nothing closes stay what they are.',
  'web.markdown.direction': 'Every block of an answer runs in the direction of its script.',
  'web.markdown.notes': 'The marks of footnotes lead to the notes of the same answer, and back.',
  'web.markdown.tables':
    'A table that is wider than the chat keeps its words whole, scrolls, and shows that there is more.',
  'web.markdown.math':
    'Formulas are set, amounts of money and notes in brackets are none, and what sets them is fetched with the first one.',
  'web.markdown.diagram':
    'A Mermaid diagram is drawn as a picture that can do nothing, with its source at hand; a wrong one stays its source.',
  'web.markdown.safe': 'No script of an answer runs and no image of it is loaded from elsewhere.',
  'web.caret': 'Editing a message begins at its end; renaming a chat begins with its title selected.',
  'web.composer.phone': 'On a phone Enter starts a line, and the button sends.',
  'web.unknown-page':
    'An address of no page is answered with status 404 and a page that says so; under the names of the API with JSON.',
  'web.error': "A failed run shows the run's sentence, also after a reload, and can be tried again.",
  'web.threads': 'Chats can be searched by title, renamed, and deleted after a confirmation.',
  'web.threads.order': 'Chats are listed by when they were last spoken in; another title moves none.',
  'web.search': 'Titles and messages are searched as one types, with what was found marked.',
  'web.search.keyboard': '/ and Ctrl+K lead to the search, arrow keys and Enter to the message.',
  'web.search.nothing': 'A search that finds nothing says so; Escape ends it.',
  'web.search.phone': 'The search works at a width of 360 pixels.',
  'web.upload':
    'Files are handed in while the message is being written, go with it, and are shown with it after a reload.',
  'web.upload.refused':
    'Why a file was refused is said at the file, before it is sent where that can be; the others are not held up by it.',
  'web.upload.wordless': 'Files can be sent without words.',
  'web.upload.progress': 'Two files at most are sent at once, with their progress, and can be called off.',
  'web.upload.retry': 'A file that did not arrive can be sent again.',
  'web.upload.conversion':
    'That a document is being converted, or why it was not, is said at the message and in the list of files.',
  'web.upload.drop': 'Files can be dropped anywhere on the page, and pasted.',
  'web.upload.keyboard': 'Files are added and removed by keyboard alone.',
  'web.plan':
    'In plan mode every window shows the plan while it changes, in words and signs, also after a reload.',
  'web.command':
    'A command is shown with its output as it comes, without signs of a terminal, and how it ended.',
  'web.diff': 'What a tool changes in a file is shown line by line.',
  'web.work':
    'What an agent did before it went on is one line with its steps and its time, which opens by keyboard; what failed or waits is not in it.',
  'web.folded': 'What tools did in earlier turns is folded to a line each, and unfolded by keyboard.',
  'web.files': 'A panel lists the files of a chat, follows what the agent does, and removes uploads.',
  'web.files.presented': 'Files that the agent presents are cards that open the panel.',
  'web.files.opened': 'What the agent presents opens beside the chat where there is room, and not over it.',
  'web.files.looked':
    'A picture that the agent looked at is shown in its card, and opens; one that is gone is said to be.',
  'web.files.viewers': 'Documents, code, images, tables and pages are shown as what they are.',
  'web.files.sandbox': 'No script of a file runs, and none reaches the page around it.',
  'web.files.edit': 'A text is written only in the place of what was seen, else the person chooses.',
  'web.changes': 'Under an answer that changed files, one line tells how many, and opens the differences.',
  'web.changes.still':
    'What can be pressed under an answer comes when the line of changed files stands, and is not moved by it.',
  'web.changes.restore':
    'The files can be made what they were before an answer, after a question, and that can be undone.',
  'web.changes.branch':
    'Whoever says something else, or wants another answer, may have the files as they were, too.',
  'web.composer': 'Enter sends, Shift+Enter starts a new line, the box grows with the text.',
  'web.draft': 'A text that was not sent is kept over a reload.',
  'web.draft.session':
    'What was typed or sent is there after a new sign-in of the same person, and never for somebody else.',
  'web.outbox':
    'What is sent without a connection is marked, can be changed or discarded, survives the page, and is sent in its order.',
  'web.outbox.next':
    'A message that is written at the moment at which the one before it is taken is sent, too.',
  'web.outbox.once': 'A message whose answer was lost is sent again under the same key, and is said once.',
  'web.outbox.refused':
    'A message that the service refuses is in the box to write in again, with the reason.',
  'web.outbox.still': 'A message stays on the screen when its run has ended before the chat was read.',
  'web.queue.decision':
    'Where a queued message was taken before a person decided what was asked, the answer says so.',
  'web.queue':
    'What is sent while an answer is written waits for it, in its order, also after a reload; it can be taken back.',
  'web.live':
    'A message that is sent in one window, and its answer as it is written, are shown in the others of the person.',
  'web.live.list': 'All windows list new chats, what is being answered, titles, and what is gone.',
  'web.chat-model':
    'The model to choose is the one that answered last in the chat; what asked goes on with its own.',
  'web.scroll': 'The view follows the answer unless the reader scrolled away, and offers the way back.',
  'web.phone': 'The app works at a width of 360 pixels.',
  'web.dark': 'There is a dark and a light theme: as the system says, or as chosen and remembered.',
  'web.keyboard': 'Everything is reachable by keyboard, with a visible focus.',
  'web.motion': 'Reduced motion is respected.',
  'web.long-chat':
    'A chat of hundreds of turns opens fast, at its end, and has all its words: what is scrolled to is drawn.',
  'web.long-chat.typing': 'What one types in a long chat costs as much as in an empty one.',
  'web.print':
    'A chat is printed whole, black on white: every turn and what is folded, without what can be pressed.',
  'web.print.pictures':
    'Where the keys of the browser print a chat, formulas and diagrams that were never near the screen are drawn before.',
  'web.print.menu':
    'A page that has nothing else to do draws the formulas and diagrams of its chat, for a menu of the browser that prints.',
  'web.print.wide': 'A formula that is wider than the paper is broken into lines, or made smaller.',
  'web.build': 'The app is built with the React for production, whatever NODE_ENV says.',
  'web.axe': 'axe finds no violation on any screen, in both themes.',
  'web.rating': 'A finished answer can be rated, with a comment; the rating is there after a reload.',
  'web.rating.failed': 'A rating that could not be saved is taken back, and the page says so.',
} as const;
