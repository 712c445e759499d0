# Everything a person needs, one word each. Missing Debian packages are installed by the target that needs them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: try-desktop-files try-cases try-imports version help build gateway check test test-gateway test-all device demo bench bench-audio bench-location bench-wake bench-memory bench-foreground bench-fetch bench-network bench-transfer bench-push bench-scale fuzz fuzz-quick transfers mutants standalone static-app format lint clean uploads pushes chaos audio-storm location-storm

# One build configuration for everything, so that the tests run what was built.
SWIFT_BUILD := swift build --configuration release
SOURCES := $(wildcard Package.swift Sources Plugins Tests Examples Fixtures Benchmarks Fuzzing Gateway/Package.swift Gateway/Sources Gateway/Tests Gateway/Benchmarks)
# Where the stand-alone program is built: CI keeps that folder.
STANDALONE := $(if $(GREENROOM_BUILDS),$(GREENROOM_BUILDS)/standalone/build,$(CURDIR)/.build/standalone)
# Debian packages, by the groups of Scripts/packages.
NEED := Scripts/need.sh

help: ## Show this list.
	@echo "Greenroom: iOS multitasking for Linux"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make demo RECORD=DIR keeps the demo's recording; make demo KEEP=1 leaves its system running."

build: ## Build the device: daemon, services and tools in .build/bin, example apps in .build/apps.
	@$(NEED) @build
	@Scripts/build.sh all
	@Scripts/assemble.sh

gateway: ## Build the push gateway: greenroom-pushgate in .build/bin.
	@$(NEED) @gateway
	@Scripts/build.sh gateway
	@Scripts/assemble.sh

check: ## Test what starts no process, in a debug build: needs Swift and no root.
	@$(NEED) @scripts
	GREENROOM_PARTS=pure swift build --build-tests
	@Scripts/run-tests.py --debug --part pure

test: ## Build the device and run its tests; the end says which were skipped, and why.
	@$(NEED) @tests
	$(SWIFT_BUILD) --build-tests
	@Scripts/assemble.sh
	cd Examples/python && python3 test_counter.py
	cd Examples/service-python && python3 test_steps.py
	@Scripts/run-tests.py --package .

test-gateway: ## Build the push gateway and run its tests.
	@$(NEED) @gateway @scripts @cluster
	Scripts/nested.sh Gateway --build-tests
	@Scripts/assemble.sh
	@Scripts/run-tests.py --part machine --only Gateway

test-all: ## Build everything and run all tests, clients of APNs and two storms.
	@$(NEED) @all-tests
	$(SWIFT_BUILD) --build-tests
	Scripts/nested.sh Gateway --build-tests
	@Scripts/assemble.sh
	cd Examples/python && python3 test_counter.py
	cd Examples/service-python && python3 test_steps.py
	Scripts/push-clients.py
	if [ $$(id -u) = 0 ]; then python3 Examples/Uploader/storm.py .build/bin 3 20; fi
	if [ $$(id -u) = 0 ]; then /usr/bin/python3 Scripts/push-storm.py --messages 200 --kills 8; fi
	@Scripts/run-tests.py --package . --package Gateway

device: ## Boot a small virtual machine: sessions, the contract and real pressure in it (PART=1/3: a third).
	@$(NEED) @build @scripts @virtual-machine
	$(SWIFT_BUILD) --build-tests
	@Scripts/assemble.sh
	Scripts/device $(if $(PART),--env GREENROOM_TEST_PART=$(PART)) $(if $(STORMS),--env GREENROOM_MEMORY_STORMS=$(STORMS))
	Scripts/device --memory 1024 --allow-oom $(if $(GROUPS),--env TIMES=$(GROUPS)) -- sh Tests/DeviceTests/groups

demo: ## Build what the demo needs, then take a tour of about a minute on real processes.
	@$(NEED) @demo
	@Scripts/build.sh demo
	@Scripts/assemble.sh
	@python3 Scripts/demo $(if $(RECORD),--record "$(RECORD)") $(if $(KEEP),--keep)

static-app: ## Build Journal with Swift's libraries in it (APP=NAME, FOLDER=Examples/NAME for another one); docs/STARTING.md.
	@$(NEED) @scripts @storage
	Scripts/static-app.sh $(or $(APP),Journal) $(or $(FOLDER),Examples/$(or $(APP),Journal))

version: ## Build a package that uses Greenroom by version, with code of Linux and of iOS.
	Scripts/check-version.sh

standalone: ## Build the stand-alone download program, and kill it while its download runs.
	@$(NEED) @storage @tls @scripts
	$(SWIFT_BUILD) --product greenroom-transferd
	SWIFTPM_BUILD_DIR=$(STANDALONE) $(SWIFT_BUILD) --package-path Examples/StandaloneTransfer
	Examples/StandaloneTransfer/check.py $(STANDALONE)/release/standalone-transfer .build/release/greenroom-transferd

uploads: ## Upload 100 photos while app, daemon and server are killed, again and again (SEEDS=50).
	@$(NEED) @build @scripts
	$(SWIFT_BUILD)
	@Scripts/assemble.sh
	python3 Examples/Uploader/storm.py .build/bin $(or $(SEEDS),50) 100

pushes: ## Send 10,000 pushes while gateway, agent, daemon and apps are killed (KILLS=200 MESSAGES=10000 SEEDS=1 NATS=1: two gateways, three nats-servers).
	@$(NEED) @build @gateway @scripts python3-h2 $(if $(NATS),@cluster)
	@$(SWIFT_BUILD) --quiet
	@Scripts/nested.sh Gateway --quiet
	@Scripts/assemble.sh
	for seed in $$(seq 1 $(or $(SEEDS),1)); do \
	    /usr/bin/python3 Scripts/push-storm.py --seed $$seed --messages $(or $(MESSAGES),10000) --kills $(or $(KILLS),200) \
	        --tokens 24 --bursty 4 --interval 1.5 $(if $(NATS),--nats --gateways 2); \
	done

location-storm: ## Carries a device in and out of regions and kills app, service, daemon and gpsd (KILLS=200 SEED=1). Needs root.
	@$(NEED) @build @scripts @receiver
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	Scripts/location-storm.py --kills $(or $(KILLS),200) --seed $(or $(SEED),1)

audio-storm: ## Random stories of apps that sound and of what is killed beside them, heard on a PipeWire of their own (STORIES=50 SEED=1 ONLY=K KEEP=1). Needs root.
	@$(NEED) @build @scripts @sound
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	/usr/bin/python3 Scripts/audio-storm.py --stories $(or $(STORIES),50) --seed $(or $(SEED),1) $(if $(ONLY),--only $(ONLY)) $(if $(KEEP),--keep)

chaos: ## All known attacks next to five honest apps, which must not notice (SECONDS=600 SEED=1 USER_ID=65534). Needs root.
	@$(NEED) @build @scripts
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	python3 Scripts/chaos --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1) $(if $(USER_ID),--user $(USER_ID))

bench: ## Measure on real processes, beside the last release.
	@$(NEED) @build @activation
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	.build/bin/greenroom-bench --beside Benchmarks/last-release.json

bench-wake: ## 500 sleeping servers: how long a first answer takes, compared with systemd's socket activation.
	@$(NEED) @build @activation
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	.build/bin/greenroom-bench --only waking

bench-memory: ## Memory storms in the small virtual machine: Greenroom, earlyoom, nohang and the kernel compared (STORMS=20).
	@$(NEED) @build @scripts @virtual-machine
	@$(SWIFT_BUILD) --build-tests --quiet
	@Scripts/assemble.sh
	Benchmarks/memory-storms/bench $(if $(STORMS),--storms $(STORMS))

bench-scale: ## What 10, 100, 1,000 and 10,000 apps cost, with the daemon killed at each (SIZES=10,1000 JSON=FILE).
	@$(NEED) @build
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	.build/bin/greenroom-bench --only scale $(if $(SIZES),--sizes $(SIZES)) $(if $(JSON),--json "$(JSON)")

bench-foreground: ## Frames that the app on screen misses while background apps are busy, with and without Greenroom (SECONDS_EACH=60).
	@$(NEED) @build @scripts
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	Benchmarks/foreground/bench $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH))

bench-network: ## What background transfers leave of a shaped link to the app on screen (SECONDS_EACH=20 RATE=20mbit). Needs root.
	@$(NEED) @build @scripts @network
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	Benchmarks/network/bench $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH)) $(if $(RATE),--rate $(RATE))

bench-transfer: ## Transfers compared with aria2 and curl: what kills cost, throughput, processor and memory per GB (SIZE=1G KILLS=20).
	@$(NEED) @build @scripts @servers aria2 curl
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	Benchmarks/transfer/bench $(if $(SIZE),--size $(SIZE)) $(if $(KILLS),--kills $(KILLS))

bench-location: ## What location costs, and how late it is: real tracks (where the traces are), a crowd of regions, fixes by gpsd (QUICK=1 PICTURES=DIR).
	@$(NEED) @build @scripts @receiver
	@$(SWIFT_BUILD) --quiet --product greenroom-bench-location
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	Benchmarks/location/bench $(if $(QUICK),--quick) $(if $(PICTURES),--pictures "$(PICTURES)")

bench-audio: ## What audio costs: pauses, commands, starts, gaps beside 32 burners, the idle service (QUICK=1 ONLY=gaps JSON=FILE). Needs root.
	@$(NEED) @build @scripts @sound @players
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	Benchmarks/audio/bench $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY)) $(if $(JSON),--json "$(JSON)")

bench-push: ## A push gateway compared with bare HTTP/2 and mosquitto, and with a fleet of devices (DEVICES=100000 SECONDS_EACH=10).
	@$(NEED) @build @gateway @scripts python3-h2 mosquitto
	@$(SWIFT_BUILD) --quiet
	@Scripts/nested.sh Gateway --quiet
	@Scripts/assemble.sh
	Gateway/Benchmarks/push/bench $(if $(DEVICES),--devices $(DEVICES)) $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH))
	@"$$($(SWIFT_BUILD) --show-bin-path)/greenroom-bench-fetch" --pushes "$${GREENROOM_TRACES:-../shared/traces}"

transfers: ## Kill app, daemon and transfer service again and again while 1 GB is under way (SIZE=1G KILLS=100).
	@$(NEED) @build @scripts @servers
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	Scripts/transfer-storm.py --size $(or $(SIZE),1G) --kills $(or $(KILLS),100)
	Scripts/transfer-storm.py --mode upload --size $(or $(SIZE),1G) --kills $(or $(KILLS),100)
	Scripts/transfer-system-storm.py --size $(or $(SIZE),1G) --kills $(or $(KILLS),100)

bench-fetch: ## What fetching costs and brings, on the months of two real people (GREENROOM_TRACES=FOLDER).
	@$(NEED)
	@$(SWIFT_BUILD) --quiet --product greenroom-bench-fetch
	@"$$($(SWIFT_BUILD) --show-bin-path)/greenroom-bench-fetch" "$${GREENROOM_TRACES:-../shared/traces}"

fuzz: ## Fuzz with libFuzzer, each target for so long (TARGET=json SECONDS=3600 JOBS=2); docs/FUZZING.md.
	@$(NEED) @storage @tool @tls
	@Scripts/fuzz $(or $(SECONDS),60) $(TARGET)

fuzz-quick: ## Fuzz every target for a moment, a minute in all, from a seed (SEED=1 SECONDS=60 TARGET=json).
	@$(NEED) @storage @tool @tls
	@$(SWIFT_BUILD) --quiet --product greenroom-fuzz
	@"$$($(SWIFT_BUILD) --show-bin-path)/greenroom-fuzz" run --seed $(or $(SEED),1) --seconds $(or $(SECONDS),60) $(TARGET)

mutants: ## Plant bugs, one after another: storms, scenarios, contracts or the unit tests that each names must catch it.
	@$(NEED) @tests
	@Scripts/mutants.py

try-desktop-files: ## Describe every .desktop file of 100 packages of Debian, which are downloaded and not installed.
	$(SWIFT_BUILD) --product greenroom-bundle
	@Scripts/assemble.sh
	Scripts/try-desktop-files $(FOLDER)

try-imports: ## Import public projects of iOS, and compare what was taken and reported with their files (FROM=FOLDER of checkouts).
	@$(NEED) @scripts
	$(SWIFT_BUILD) --product greenroom-import
	@Scripts/assemble.sh
	Scripts/try-imports $(if $(FROM),--from $(FROM))

try-cases: ## Try the cases of a folder that went wrong elsewhere (CASES=FOLDER).
	@$(NEED) @build @scripts @cases
	@$(SWIFT_BUILD) --quiet
	@Scripts/assemble.sh
	Scripts/try-cases $(CASES)

format: ## Format the Swift code.
	swift format --in-place --parallel --configuration .swift-format --recursive $(SOURCES)

lint: ## Check that the Swift code is formatted and follows the rules.
	swift format lint --strict --parallel --configuration .swift-format --recursive $(SOURCES)

clean: ## Remove what was built.
	rm -rf .build Gateway/.build
