-- The conversation, its prompt, and what surrounds them.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

---@param child test.Child
local function idle(child)
  child:wait("no turn runs", [[(function() local c = require("drawbridge.state").current() return c and c.lastTurn and not c.turnId end)()]])
end

---@param announced table
---@param ... string
local function fake(announced, ...)
  return vim.list_extend({ vim.v.progpath, "--clean", "-l", here .. "/fake.lua", vim.json.encode(announced) }, { ... })
end

cases.run({
  {
    "streamed text follows for who is at the end and leaves who reads above alone",
    function()
      local lines = {}
      for i = 1, 80 do
        lines[i] = ([[text "line %d\n"]]):format(i)
      end
      local child = child_of.start({
        script = table.concat(lines, "\n") .. "\n----\n" .. table.concat(lines, "\n") .. '\ntext "the end"\n',
      })
      child:ex("Drawbridge prompt first")
      child:sees("line 80")
      idle(child)
      child:ex("wincmd j")
      child:lua([[
        local win = vim.fn.win_findbuf(require("drawbridge.conversation").buffer())[1]
        vim.api.nvim_set_current_win(win)
      ]])
      child:keys("10Gv$")
      child:wait("selecting", [[vim.fn.mode() == "v"]])
      child:prompt("second")
      child:ended()
      child:wait("all is there", function()
        return child:conversation():find("the end", 1, true)
      end)
      local where = child:lua([[return { vim.fn.line("."), vim.fn.mode(), vim.fn.line("v") }]])
      equal({ 10, "v", 10 }, where, "line, mode, start of the selection")
      child:keys("<Esc>20G")
      child:prompt("third")
      child:ended()
      child:wait("the third turn is there", function()
        return child:conversation():find("third", 1, true)
      end)
      equal(20, child:lua([[return vim.fn.line(".")]]), "the line that is read")
      child:keys("G")
      child:prompt("fourth")
      child:wait("the window follows", function()
        return child:conversation():find("fourth", 1, true)
          and child:lua([[return vim.fn.line(".") == vim.fn.line("$")]])
      end)
    end,
  },
  {
    "what is in the conversation is plain Markdown that can be copied",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = "one\n" },
        script = [[
think "Let me see."
text "# Title\n\nUse `x`:\n\n```lua\nprint(1)"
call c1 read_file {"file_path":"a.txt"}
----
text "\n\nAfter the code.\n"
]],
      })
      child:ex("Drawbridge prompt look")
      child:sees("After the code.")
      equal(
        {
          "look",
          "",
          "Thinking",
          "Let me see.",
          "",
          "# Title",
          "",
          "Use `x`:",
          "",
          "```lua",
          "print(1)",
          "```",
          "",
          "Read a.txt",
          "file_path: a.txt",
          "```text",
          "     1\tone",
          "```",
          "",
          "After the code.",
          "",
        },
        child:lines("drawbridge://conversation"),
        "the lines"
      )
      -- The call and the thought are folded, each under a line with its state.
      child:sees("Read a.txt  done")
      child:sees("∙ Thinking")
      child:sees_no("Let me see.") -- the thought is folded
    end,
  },
  {
    "a failed turn says why and what helps, and is tried again",
    function()
      local child = child_of.start({ script = 'error auth "the key was refused"\n----\ntext "Now it works.\\n"\n' })
      child:ex("Drawbridge prompt go")
      child:sees("the key was refused")
      child:sees("→")
      child:ex("Drawbridge continue")
      child:sees("Now it works.")
      child:wait("it can no longer be continued", function()
        return not child:conversation():find(":Drawbridge continue", 1, true)
      end)
    end,
  },
  {
    "a call that failed says in its folded line which file it was for, and why",
    function()
      local child = child_of.start({
        files = { ["greet.go"] = "package greet\n" },
        options = { mode = "allow-all" },
        script = 'call c1 edit_file {"file_path": "greet.go", "old_string": "nowhere", "new_string": "x"}\n----\ntext "Done."\n',
      })
      child:ex("Drawbridge")
      child:ex("Drawbridge prompt go")
      child:sees("Done.")
      local line = vim.iter(child:screen()):find(function(l)
        return l:find("✗", 1, true)
      end)
      holds(line and line:find("greet%.go.*failed: %a+"), line)
    end,
  },
  {
    "the prompt: several lines, history by up and down, kept for the next Neovim",
    function()
      local child = child_of.start({ script = 'text "one"\n----\ntext "two"\n' })
      child:ex("Drawbridge prompt")
      child:keys("first<CR>prompt<C-s>")
      child:sees("one")
      idle(child)
      child:keys("second<Esc><CR>")
      child:sees("two")
      idle(child)
      child:keys("<Up>")
      child:wait("the newest", function()
        return vim.deep_equal(child:lines("drawbridge://prompt"), { "second" })
      end)
      child:keys("<Up>")
      child:wait("the one before", function()
        return vim.deep_equal(child:lines("drawbridge://prompt"), { "first", "prompt" })
      end)
      child:keys("<Down><Down>")
      child:stop()
      child = child_of.start({ same = child, script = 'text "three"\n' })
      child:ex("Drawbridge")
      child:keys("draft<Esc><Up><Up>")
      child:wait("two back", function()
        return vim.deep_equal(child:lines("drawbridge://prompt"), { "first", "prompt" })
      end)
      child:keys("G<Down><Down>")
      child:wait("the draft", function()
        return vim.deep_equal(child:lines("drawbridge://prompt"), { "draft" })
      end)
    end,
  },
  {
    "@ offers files; what is chosen goes to the model as a link, a selection with its text",
    function()
      local child = child_of.start({
        files = { ["src/deep/greeting.lua"] = "one\ntwo\nthree\n", ["other.txt"] = "x\n" },
        script = 'text "Read."\n',
      })
      child:ex("edit src/deep/greeting.lua")
      child:keys("2GS2nd, unsaved<Esc>")
      child:ex("2,3Drawbridge prompt")
      child:sees("@src/deep/greeting.lua:2-3")
      child:keys("and @oth")
      child:wait("the popup", [[vim.fn.pumvisible() == 1]])
      child:keys("<C-n><C-y>")
      child:sees("@other.txt")
      child:keys("<C-s>")
      child:sees("Read.")
      child:keys("<Esc>")
      local blocks = child:lua([[
        for _, item in ipairs(require("drawbridge.state").current().items) do
          if item.kind == "prompt" then return item.blocks end
        end
      ]])
      local found = {}
      for _, block in ipairs(blocks) do
        table.insert(found, block.type .. " " .. (block.uri and vim.fs.basename(block.uri) or ""))
        if block.type == "selection" then
          equal("2nd, unsaved\nthree\n", block.text, "the text of the selection")
          equal(1, block.range.start.line, "its first line, from 0")
        end
      end
      table.sort(found)
      equal({ "resourceLink other.txt", "selection greeting.lua", "text " }, found, "the blocks")
      equal("menu,popup", (child:lua([[return vim.o.completeopt]]):gsub("preview", "popup")), "'completeopt' is as it was")
    end,
  },
  {
    "sessions are chosen from, mode and model changed",
    function()
      local child = child_of.start({
        script = 'text "An answer.\\n"\n',
        before = [[
          asked = {}
          vim.ui.select = function(items, opts, cb)
            local shown = vim.tbl_map(opts.format_item or tostring, items)
            table.insert(asked, { prompt = opts.prompt, items = shown })
            vim.schedule(function() cb(items[choose or 1], choose or 1) end)
          end
        ]],
      })
      child:ex("Drawbridge prompt the first one")
      child:sees("An answer.")
      idle(child)
      child:ex("Drawbridge new")
      child:sees("Ask for a change")
      child:ex("Drawbridge prompt the second one")
      child:sees("❯ the second one")
      idle(child)
      child:lua("choose = 2")
      child:ex("Drawbridge sessions")
      child:sees("❯ the first one")
      child:sees_no("the second one") -- the other conversation is off the screen
      child:lua("choose = 2")
      child:ex("Drawbridge mode")
      child:sees("auto-edit")
      child:ex("Drawbridge mode plan")
      child:wait("the mode", [[require("drawbridge.state").current().session.mode == "plan"]])
      local asked = child:lua("return asked")
      equal("Conversation", asked[1].prompt)
      holds(asked[1].items[1]:find("the second one · just now · open here", 1, true), vim.inspect(asked[1].items))
    end,
  },
  {
    "a question outlives a look at another conversation",
    function()
      local child = child_of.start({ script = 'call c1 exec_command {"cmd":"echo ran > ran"}\n----\ntext "Done."\n' })
      child:ex("Drawbridge prompt go")
      child:sees("? echo ran")
      local first = child:lua([[return require("drawbridge.client").session()]])
      child:ex("Drawbridge new")
      child:sees("Ask for a change")
      child:wait("the statusline says it", [[require("drawbridge").statusline() == "drawbridge: waiting for you (1)"]])
      child:lua([[require("drawbridge.sessions").load(...)]], first)
      child:sees("waiting for")
      child:ex("Drawbridge allow a1")
      child:sees("Done.")
      equal("ran\n", child:file("ran"))
    end,
  },
  {
    "autocmds of the user hear what happens; a statusline says it",
    function()
      local child = child_of.start({
        script = 'call c1 exec_command {"cmd":"true"}\n----\ntext "Done."\n',
        before = [[
          heard = {}
          vim.api.nvim_create_autocmd("User", { pattern = "Drawbridge*", callback = function(args)
            table.insert(heard, args.match)
            assert(type(args.data) == "table")
          end })
        ]],
      })
      equal("", child:lua([[return require("drawbridge").statusline()]]), "before anything")
      child:ex("Drawbridge prompt go")
      child:wait("a question", [[require("drawbridge").statusline() == "drawbridge: waiting for you (1)"]])
      child:ex("Drawbridge allow a1")
      idle(child)
      child:wait("nothing runs", [[require("drawbridge").statusline() == "drawbridge"]])
      local heard = child:lua("return heard")
      for _, name in ipairs({
        "DrawbridgeTurnStarted",
        "DrawbridgeState",
        "DrawbridgeApproval",
        "DrawbridgeApprovalResolved",
        "DrawbridgeTerminalOpened",
        "DrawbridgeTerminalClosed",
        "DrawbridgeTurnCompleted",
      }) do
        holds(vim.list_contains(heard, name), name .. " was heard")
      end
      child:ex("Drawbridge restart")
      child:hears("the bridge runs")
      child:sees("Done.")
      child:wait("the session is loaded", [[require("drawbridge.client").is_ready()]])
      equal(#heard, child:lua("return #heard"), "history fires none")
    end,
  },
  {
    "a question that came a moment ago is not answered without being named",
    function()
      local child = child_of.start({
        script = 'call c1 exec_command {"cmd":"echo ran > ran"}\n----\ntext "Done."\n',
        before = [[vim.ui.select = function(items, opts, cb) selected = opts.prompt end]],
      })
      child:stops_clock()
      child:ex("Drawbridge prompt go")
      child:sees("? echo ran")
      child:ex("Drawbridge allow")
      child:wait("it is shown instead", "selected")
      equal(1, child:lua([[return #require("drawbridge.state").current().approvals]]), "it still waits")
      holds(not child:file("ran"), "nothing ran")
    end,
  },
  {
    "nothing is loaded before it is used; subcommands and their arguments complete",
    function()
      local child = child_of.start({})
      equal({}, child:lua([[
        return vim.tbl_filter(function(name)
          return vim.startswith(name, "drawbridge")
        end, vim.tbl_keys(package.loaded))
      ]]), "loaded modules")
      equal({ "accept", "acceptall", "acceptturn" }, child:lua([[return vim.fn.getcompletion("Drawbridge acc", "cmdline")]]))
      equal({ "always-ask", "auto-edit", "allow-all" }, child:lua([[return vim.fn.getcompletion("Drawbridge mode a", "cmdline")]]))
      child:ex("Drawbridge nonsense")
      child:hears("there is no :Drawbridge nonsense")
    end,
  },
  {
    "no key is mapped unasked, and the <Plug> maps are there",
    function()
      local child = child_of.start({
        options = { keys = { open = "<leader>dd", ["send-selection"] = "gs" } },
        -- The options are set before the plugin is loaded, as in an init.lua.
        before = "vim.g.loaded_drawbridge = nil",
      })
      local maps = child:lua([[
        local found = {}
        for _, mode in ipairs({ "n", "x", "i" }) do
          for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
            if (map.desc or ""):find("^Drawbridge") and not map.lhs:find("^<Plug>") then
              table.insert(found, mode .. map.lhs)
            end
          end
        end
        table.sort(found)
        return { found = found, plug = vim.fn.maparg("<Plug>(drawbridge-accept-file)", "n") ~= "" }
      ]])
      equal({ "n\\dd", "ngs", "xgs" }, maps.found, "mapped keys")
      child:keys("\\dd")
      child:sees("Ask for a change")
    end,
  },
  {
    "closing and opening again leaves the conversation and the draft as they were",
    function()
      local child = child_of.start({ script = 'text "An answer.\\n"\n' })
      child:ex("Drawbridge prompt go")
      child:sees("An answer.")
      child:ex("Drawbridge")
      child:keys("a draft<Esc>")
      child:ex("Drawbridge toggle")
      child:wait("one window", [[#vim.api.nvim_tabpage_list_wins(0) == 1]])
      child:ex("Drawbridge toggle")
      child:sees("An answer.")
      child:sees("a draft")
      -- Wiped by hand, it is made anew from what is known.
      child:ex("bwipeout! drawbridge://conversation")
      child:ex("Drawbridge")
      child:sees("An answer.")
    end,
  },
  {
    "a bridge of another version is told of, unknown notifications are not heard",
    function()
      local child = child_of.start({
        options = {
          cmd = fake({ version = 9, serverVersion = "9.9" }, "star/exploded", "{}", "state/changed", '{"sessionId":"s1"}'),
        },
      })
      child:ex("Drawbridge new")
      child:hears("the bridge speaks protocol 9, this plugin 1; update the plugin")
      equal({}, child:lua([[return require("drawbridge.say").faults]]), "faults")
    end,
  },
  {
    "questions are answered at any later time and in any order; a withdrawn one with an error",
    function()
      local function asked(id)
        return vim.json.encode({ approvalId = id, sessionId = "s1", callId = id, title = id, options = {} })
      end
      local child = child_of.start({
        options = {
          cmd = fake(
            { version = 1, serverVersion = "1.0" },
            "?approval/request",
            asked("a1"),
            "?approval/request",
            asked("a2"),
            "?approval/request",
            asked("a3")
          ),
        },
        before = [[
          local client = require("drawbridge.client")
          require("drawbridge.wiring")
          kept, withdrawn = {}, {}
          client.answer("approval/request", function(params, respond, ctx)
            kept[params.approvalId] = respond
            ctx.withdrawn(function() table.insert(withdrawn, params.approvalId) end)
          end)
        ]],
      })
      child:ex("Drawbridge new")
      child:wait("three questions wait", [[vim.tbl_count(kept) == 3]])
      child:lua([[kept.a2({ outcome = "dismissed" })]])
      child:lua([[require("drawbridge.client").notify("state/wanted", {
        method = "approval/resolved", params = { sessionId = "other", approvalId = "a1", callId = "c1" },
      })]])
      child:lua([[require("drawbridge.client").notify("state/wanted", {
        method = "approval/resolved", params = { sessionId = "s1", approvalId = "a3", callId = "c1" },
      })]])
      child:wait("a3 is withdrawn", "#withdrawn == 1")
      equal({ "a3" }, child:lua("return withdrawn"), "a1 of another session is another question")
      child:lua([[kept.a3({ outcome = "dismissed" })]])
      child:lua([[kept.a1({ outcome = "selected", optionId = "late" })]])
      local answers = child:wait("three answers", function()
        local lines = vim.split(child:file("answers") or "", "\n", { trimempty = true })
        return #lines == 3 and lines
      end)
      equal({ "dismissed" }, { vim.json.decode(answers[1]).outcome })
      equal(-32800, vim.json.decode(answers[2]))
      equal("late", vim.json.decode(answers[3]).optionId)
    end,
  },
  {
    "what a program that is no drawbridge says is no reason to hang",
    function()
      local child = child_of.start({ options = { cmd = fake(vim.NIL) } })
      child:ex("Drawbridge prompt hello")
      child:hears("no drawbridge of this protocol")
      child:sees("set the option cmd")
    end,
  },
  {
    "a report has the editor's part, and no key",
    function()
      local child = child_of.start({ script = 'text "answered"\n', options = { env = { OPENAI_API_KEY = "sk-secret-of-the-test" } } })
      child:ex("Drawbridge prompt go")
      child:sees("answered")
      child:ex("Drawbridge report")
      local text = child:wait("the report", function()
        local all = table.concat(child:lines(), "\n")
        return all:find("## Neovim", 1, true) and all
      end)
      holds(text:find("protocol: 1", 1, true), text)
      holds(not text:find("sk-secret", 1, true), "no key")
    end,
  },
  {
    "a key is typed unseen, handed over, and on no disk",
    function()
      local child = child_of.start({ script = 'text "hi"\n' })
      child:ex("Drawbridge new")
      child:sees("Ask for a change")
      child:ex("Drawbridge key openai")
      child:sees("Key for openai")
      child:keys("sk-typed-in-the-test<CR>")
      child:hears("drawbridge: ")
      child:stop()
      local found = vim.fn.systemlist({ "grep", "-rl", "sk-typed-in-the-test", child.home })
      equal({}, found, "files that hold the key")
    end,
  },
  {
    "health says what is there and what is not",
    function()
      local child = child_of.start({ options = { modl = "x" } })
      child:lua("local o = vim.g.drawbridge o.model = nil vim.g.drawbridge = o")
      child:ex("Drawbridge health")
      local text = child:wait("the report", function()
        local all = table.concat(child:lines(), "\n")
        return all:find("no model can be asked", 1, true) and all
      end)
      holds(text:find("protocol 1", 1, true), text)
      holds(text:find("option modl: no such option", 1, true), text)
    end,
  },
})
