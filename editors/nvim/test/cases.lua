-- Runs the tests of one file and says how each ended, a line each, as TAP does.
-- A test file ends with require("cases").run({ { "what holds", function() … end }, … }).

local M = {}

--- Fails unless both are deeply equal.
---@param want any
---@param got any
---@param what? string
function M.equal(want, got, what)
  if not vim.deep_equal(want, got) then
    error(("%s\nwanted %s\ngot    %s"):format(what or "not equal", vim.inspect(want), vim.inspect(got)), 2)
  end
end

---@param ok any
---@param what string
function M.holds(ok, what)
  if not ok or ok == vim.NIL then
    error("does not hold: " .. what, 2)
  end
end

--- Runs tests in turn; the process ends with 1 when one failed.
---@param tests { [1]: string, [2]: fun() }[]
function M.run(tests)
  local only, failed = vim.env.TEST_ONLY, 0
  io.stdout:write(("1..%d\n"):format(#tests))
  for i, test in ipairs(tests) do
    if not only or test[1]:find(only, 1, true) then
      local child = require("child")
      child.last = nil
      local ok, err = xpcall(test[2], debug.traceback)
      if child.last then
        local stopped, why = pcall(child.last.stop, child.last)
        if ok and not stopped then
          ok, err = false, why
        end
      end
      failed = failed + (ok and 0 or 1)
      io.stdout:write(("%s %d %s\n"):format(ok and "ok" or "not ok", i, test[1]))
      if not ok then
        io.stdout:write("# " .. tostring(err):gsub("\n", "\n# ") .. "\n")
      end
    end
  end
  io.stdout:write("\n")
  os.exit(failed == 0 and 0 or 1)
end

return M
