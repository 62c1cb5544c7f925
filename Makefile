# Two commands do everything on a fresh machine.
#   make run    set up what is missing, build, measure an overview
#   make test   set up what is missing, build, all checks and tests

.PHONY: run test setup-run setup-test

run: setup-run
	script/cargo build --profile quick --quiet
	$${CARGO_TARGET_DIR:-target}/quick/cpb run

test: setup-test
	script/test

setup-run:
	script/setup run

setup-test:
	script/setup test
