import NotificationsCore

// Zones of the kinds that there are, with the rules that they have had for long.
extension ZoneRules {
    private static func day(_ month: Int32, _ week: Int32, _ weekday: Int32, _ hours: Int32) -> Change {
        Change(.monthWeekday(month: month, week: week, weekday: weekday), time: hours * 3600)
    }

    /// CET-1CEST,M3.5.0,M10.5.0/3
    static let berlin = ZoneRules(
        identifier: "Europe/Berlin", initialOffset: 3600,
        rule: Rule(standard: 3600, daylight: 7200, begins: day(3, 5, 0, 2), ends: day(10, 5, 0, 3)))

    /// AEST-10AEDT,M10.1.0,M4.1.0/3
    static let sydney = ZoneRules(
        identifier: "Australia/Sydney", initialOffset: 36_000,
        rule: Rule(standard: 36_000, daylight: 39_600, begins: day(10, 1, 0, 2), ends: day(4, 1, 0, 3)))

    /// EST5EDT,M3.2.0,M11.1.0
    static let newYork = ZoneRules(
        identifier: "America/New_York", initialOffset: -18_000,
        rule: Rule(standard: -18_000, daylight: -14_400, begins: day(3, 2, 0, 2), ends: day(11, 1, 0, 2)))

    /// Its clocks go half an hour: <+1030>-10:30<+11>-11,M10.1.0,M4.1.0
    static let lordHowe = ZoneRules(
        identifier: "Australia/Lord_Howe", initialOffset: 37_800,
        rule: Rule(standard: 37_800, daylight: 39_600, begins: day(10, 1, 0, 2), ends: day(4, 1, 0, 2)))

    /// Its clocks go at midnight: <-04>4<-03>,M9.1.6/24,M4.1.6/24
    static let santiago = ZoneRules(
        identifier: "America/Santiago", initialOffset: -14_400,
        rule: Rule(standard: -14_400, daylight: -10_800, begins: day(9, 1, 6, 24), ends: day(4, 1, 6, 24)))

    static let tokyo = ZoneRules(identifier: "Asia/Tokyo", initialOffset: 32_400)

    /// It went over the date line: after 29 December 2011 came the 31st.
    static let apia = ZoneRules(
        identifier: "Pacific/Apia", initialOffset: -36_000,
        transitions: [Transition(at: 1_325_239_200, offset: 50_400)])

    /// The same as Berlin until 2037, but as a list; what most files have.
    static let listedBerlin: ZoneRules = {
        var zone = berlin
        zone.rule = nil
        var second = 1_700_000_000
        while second < 2_100_000_000 {
            let end = berlin.end(at: second)
            zone.transitions.append(Transition(at: Int64(end), offset: Int32(berlin.offset(at: end))))
            second = end
        }
        return zone
    }()

    static let kinds: [ZoneRules] = [
        .utc, .berlin, .sydney, .newYork, .lordHowe, .santiago, .tokyo, .apia, .listedBerlin,
    ]
}
