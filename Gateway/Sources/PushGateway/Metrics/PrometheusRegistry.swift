package import CoreMetrics
internal import Synchronization

/// The metrics of a process, in the text form of Prometheus.
///
/// A backend of swift-metrics: whoever embeds a gateway may use another one.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    private struct Series: Hashable, Comparable {
        var name: String
        /// As they are written, between braces.
        var labels: String

        static func < (a: Series, b: Series) -> Bool { (a.name, a.labels) < (b.name, b.labels) }

        init(_ label: String, _ dimensions: [(String, String)]) {
            name = String(label.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
            labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        }

        private static func escaped(_ text: String) -> String {
            text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        }
    }

    private let series = Mutex<[Series: any PrometheusSeries]>([:])

    package init() {}

    private func make<Kind: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], _ new: () -> Kind
    ) -> Kind {
        series.withLock { all in
            let key = Series(label, dimensions)
            if let known = all[key] as? Kind { return known }
            let made = new()
            all[key] = made
            return made
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        make(label, dimensions) { PrometheusCounter() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        make(label, dimensions) { PrometheusGauge() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        make(label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.counts, unit: 1) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        make(label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.durations, unit: 1e9) }
    }

    // Series stay: a scraper takes one that goes away for a process that began again.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Version 0.0.4 of the text form.
    package var text: String {
        let all = series.withLock { $0 }
        var text = ""
        var name = ""
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            if key.name != name {
                name = key.name
                text += "# TYPE \(name) \(value.kind)\n"
            }
            value.write(key.name, key.labels, &text)
        }
        return text
    }
}

private protocol PrometheusSeries: AnyObject, Sendable {
    var kind: String { get }
    func write(_ name: String, _ labels: String, _ text: inout String)
}

private func line(_ name: String, _ labels: String, _ value: String) -> String {
    labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
}

private final class PrometheusCounter: CounterHandler, PrometheusSeries {
    private let value = Atomic<Int64>(0)
    let kind = "counter"

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }
    func write(_ name: String, _ labels: String, _ text: inout String) {
        text += line(name, labels, "\(value.load(ordering: .relaxed))")
    }
}

private final class PrometheusGauge: MeterHandler, PrometheusSeries {
    private let value = Mutex(0.0)
    let kind = "gauge"

    func set(_ new: Int64) { set(Double(new)) }
    func set(_ new: Double) { value.withLock { $0 = new } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func write(_ name: String, _ labels: String, _ text: inout String) {
        text += line(name, labels, "\(value.withLock { $0 })")
    }
}

/// Counts how often a value was no greater than each of some bounds.
private final class PrometheusHistogram: RecorderHandler, TimerHandler, PrometheusSeries {
    static let durations = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    static let counts = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]

    private struct Counts {
        var buckets: [Int64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let unit: Double
    private let counts: Mutex<Counts>
    let kind = "histogram"

    /// - Parameter unit: how many of what is recorded are one of what is written.
    init(bounds: [Double], unit: Double) {
        self.bounds = bounds
        self.unit = unit
        counts = Mutex(Counts(buckets: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) {
        let written = value / unit
        let bucket = bounds.firstIndex { written <= $0 } ?? bounds.count
        counts.withLock { counts in
            counts.buckets[bucket] += 1
            counts.sum += written
        }
    }

    func write(_ name: String, _ labels: String, _ text: inout String) {
        let (buckets, sum) = counts.withLock { ($0.buckets, $0.sum) }
        let separator = labels.isEmpty ? "" : ","
        var total: Int64 = 0
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], buckets) {
            total += count
            text += line(name + "_bucket", "\(labels)\(separator)le=\"\(bound)\"", "\(total)")
        }
        text += line(name + "_sum", labels, "\(sum)")
        text += line(name + "_count", labels, "\(total)")
    }
}
