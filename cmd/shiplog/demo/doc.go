// Package demo holds the ledger that a first look at Shiplog begins with: a
// panel of six reviewers and a guest, nineteen invented tools in three
// categories, and half a year of opinions about them.
//
// The data is a file of CloudEvents, one a line, exactly what a publisher would
// send. It takes the way in that every event takes, so whatever the intake
// refuses is refused here too; nothing is written past it.
//
// What it promises, so that every page has something to show:
//
//   - each verdict occurs: Ship, Skip, Split and Pending, the last both for a
//     tool that never reached the quorum and for one that fell below it;
//   - each result of a matchup occurs: Level, Leans, Favours, Not comparable yet
//     and Too close to call;
//   - a unanimous panel each way, a lone dissent each way, a changed verdict with
//     its reason, a corrected text, a withdrawal, abstentions, replies of makers,
//     a merged duplicate, a retired tool, a former reviewer, a name in another
//     script, an alias, and a review written in Markdown.
//
// Times run from June to November 2026 in the order of the lines. Identities are
// readable and never change: loading the file twice records it once.
//
// Tools, people and companies are made up, and every address is under .example.
package demo
