internal import Model
internal import PolicyCore
internal import Simulation

/// The share of visits that find fresh content, against what that costs.
struct Curve {
    private struct Point {
        let name: String
        let outcome: FetchOutcome
        var share: Double { outcome.share }
        var joules: Double { outcome.energy.joules }
    }

    private let days: FetchDays
    private let costs: FetchCosts
    private var ours: [Point] = []
    private var polled: [Point] = []
    private var others: [Point] = []

    private static let prices: [Int64] = [1, 2, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240]
    private static let fewPrices: [Int64] = [5, 20, 80, 320, 1280, 5120]
    private static let hours: [(name: String, length: Double)] = [
        ("15 min", 0.25), ("1 h", 1), ("90 min", 1.5), ("2 h", 2), ("4 h", 4), ("8 h", 8),
    ]

    init(_ days: FetchDays, _ costs: FetchCosts, isQuick: Bool) {
        self.days = days
        self.costs = costs
        for price in isQuick ? Self.fewPrices : Self.prices {
            var rules = FetchRules()
            rules.worth = .joules(price)
            (rules.usualSent, rules.usualReceived, rules.usualLength) = (costs.sent, costs.received, costs.length)
            ours.append(Point(name: "ours, \(price) J", outcome: FetchSchedules.planned(days, costs, rules)))
        }
        for (name, hours) in Self.hours {
            let interval = Span.seconds(hours * 3600)
            polled.append(Point(name: "every \(name)", outcome: FetchSchedules.polled(days, costs, every: interval)))
        }
        let apart = FetchSchedules.polledApart(days, costs, every: .seconds(3600))
        others.append(Point(name: "every 1 h, each by itself", outcome: apart))
        for least in [1, 2, 4, 8] {
            let outcome = FetchSchedules.clairvoyant(days, costs, leastTogether: least)
            others.append(Point(name: "clairvoyant, ≥ \(least) together", outcome: outcome))
        }
    }

    func text(_ name: String) -> String {
        let head =
            "\(name), \(costs.radio.name): \(days.apps.count) apps, \(days.visitCount) visits of \(days.openingCount) openings, "
            + "\(Text.decimals((days.end - .zero).seconds / 86_400, 1)) days"
        let rows = (polled + others + ours).map { point in
            [
                point.name, Text.percent(point.share), String(point.outcome.fetches), String(point.outcome.batches),
                Text.joules(point.outcome.energy),
            ]
        }
        return head + "\n" + Text.table([["", "fresh", "fetches", "wakings", "J"]] + rows) + "\n" + comparison
    }

    private var comparison: String {
        let rows = polled.map { point -> [String] in
            let energy = Self.value(at: point.share, ours.map { ($0.share, $0.joules) })
            let share = Self.value(at: point.joules, ours.map { ($0.joules, $0.share) }) ?? ours.last?.share
            // Where no price buys as much: what the most that can be had costs.
            let most = ours.max { $0.share < $1.share }.map {
                "\(Text.percent($0.joules / point.joules)) (at \(Text.percent($0.share)))"
            }
            return [
                point.name, energy.map { Text.percent($0 / point.joules) } ?? most ?? "–",
                share.map { Text.decimals($0 / point.share, 2) + " ×" } ?? "–",
            ]
        }
        return Text.table([["ours against", "J for the same share", "share for the same J"]] + rows)
    }

    /// Between the two points around it in a straight line; nothing beyond the last one.
    private static func value(at x: Double, _ points: [(x: Double, y: Double)]) -> Double? {
        let points = ([(0, 0)] + points).sorted { $0.x < $1.x }
        for (a, b) in zip(points, points.dropFirst()) where x <= b.x {
            return b.x == a.x ? b.y : a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x)
        }
        return nil
    }
}
